/* Eight ranks: five times 3,000 bytes from each to each. */
#include <mpi.h>

static char out[8 * 3000], in[8 * 3000];

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int step = 0; step < 5; step++) {
        MPI_Alltoall(out, 3000, MPI_BYTE, in, 3000, MPI_BYTE, MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
