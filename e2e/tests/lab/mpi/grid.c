/* Eight ranks in a grid of 4 x 2: ten steps of halos, 20,000 bytes along the rows and 5,000 along the column. */
#include <mpi.h>

static char out[20000], in[20000];

static void swap(int to, int bytes) {
    MPI_Sendrecv(out, bytes, MPI_BYTE, to, 0, in, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int x = rank % 4, y = rank / 4;
    for (int step = 0; step < 10; step++) {
        swap(x % 2 ? rank - 1 : rank + 1, 20000);
        if (x == 1 || x == 2) swap(x == 1 ? rank + 1 : rank - 1, 20000);
        swap(y ? rank - 4 : rank + 4, 5000);
    }
    MPI_Finalize();
}
