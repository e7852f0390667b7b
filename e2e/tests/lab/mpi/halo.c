/* A 7-point stencil on 4 x 4 x 4 ranks: each has 32 x 64 x 128 doubles and sends a face to both neighbours per axis and step. */
#include <mpi.h>
#include <stdlib.h>

static void swap(MPI_Comm grid, int axis, int cells, double *out, double *in) {
    int before, after;
    MPI_Cart_shift(grid, axis, 1, &before, &after);
    MPI_Sendrecv(out, cells, MPI_DOUBLE, after, axis, in, cells, MPI_DOUBLE, before, axis, grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, cells, MPI_DOUBLE, before, axis, in, cells, MPI_DOUBLE, after, axis, grid, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int dims[3] = {4, 4, 4}, periods[3] = {1, 1, 1}, size[3] = {32, 64, 128};
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
    double *out = calloc(64 * 128, sizeof *out), *in = calloc(64 * 128, sizeof *in);
    for (int step = 0; step < 100; step++)
        for (int axis = 0; axis < 3; axis++)
            swap(grid, axis, size[(axis + 1) % 3] * size[(axis + 2) % 3], out, in);
    MPI_Finalize();
}
