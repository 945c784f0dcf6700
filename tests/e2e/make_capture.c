/* Writes the sample capture of the unit tests, for readers in other languages: make-capture FILE
 * [CATALOG] */
#include "unit/capture/sample.h"

int main(int argc, char **argv)
{
	return argc >= 2 && sample_file(argv[1], argv[2]) ? 0 : 1;
}
