// The transpose of rill/algorithms.h for one element type: included after it, with RILL_T and RILL_NAME. By itself it
// declares nothing.
#ifdef RILL_T

// out[j][i] = in[i][j].
static inline RILL_KERNEL void RILL_NAME(transpose)(int rows, int columns, const RILL_T in[rows][columns],
                                                    RILL_T out[columns][rows])
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            out[j][i] = in[i][j];
        }
    }
}

#endif
