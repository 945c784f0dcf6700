/* Writes the sample capture of the unit tests, for readers in other languages: make-capture FILE */
#include "../unit/capture_sample.h"

int main(int argc, char **argv)
{
	return argc == 2 && sample_file(argv[1]) ? 0 : 1;
}
