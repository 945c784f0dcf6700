/*
 * Programs that outlive what started them, as launchers leave games behind: gl-outlive PROGRAM
 * [ARGUMENT...] starts it twice, in new sessions, and ends at once with status 3.
 */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (int i = 0; i < 2 && argc > 1; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (pid == 0) {
			setsid();
			execv(argv[1], argv + 1);
			_exit(127);
		}
	}
	return 3;
}
