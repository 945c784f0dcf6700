/* A program without GL that is there for a while. */
#include <unistd.h>

int main(void)
{
	usleep(300000);
	return 0;
}
