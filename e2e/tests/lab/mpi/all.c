/* Five times a number of bytes from each to each: 3,000, or the first argument. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int ranks, bytes = argc > 1 ? atoi(argv[1]) : 3000;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char *out = calloc(ranks, bytes), *in = calloc(ranks, bytes);
    for (int step = 0; step < 5; step++) {
        MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
