/* Advanced routing table of node005 in Lab <8> & 'co', "quoted" $(x) (8 nodes). C99. */
#ifndef FNN_ADVANCED_H
#define FNN_ADVANCED_H

#include <stdint.h>

#define FNN_PES 8
#define FNN_SELF 5

/* A tuple is 1 word of 8 bits; the table takes 8 bytes. Field k, from the lowest bits on, is for
   own NIC k: 2 bits, the destination's NIC plus 1, or 0 if NIC k does not lead there. */
#define FNN_TUPLE_NIS 3
#define FNN_TUPLE_WORDS 1

static const uint8_t fnn_advanced[FNN_PES][FNN_TUPLE_WORDS] = {
    [0] = {0x08u}, [1] = {0x38u}, [3] = {0x30u}, [4] = {0x09u}, [6] = {0x01u}, [7] = {0x01u},
};

/* The destination's NIC, from 1, that own NIC ni (0 to FNN_TUPLE_NIS - 1) leads to; 0 if it does not lead there. */
#define FNN_TUPLE_FIELD(dest, ni) \
    ((unsigned)((fnn_advanced[dest][(ni) / 4] >> ((ni) % 4 * 2)) & 3u))
/* True if own NIC ni leads to the destination. */
#define FNN_USES(dest, ni) (FNN_TUPLE_FIELD(dest, ni) != 0)
/* The destination's NIC, from 0; only valid where FNN_USES holds. */
#define FNN_OTHER_NI(dest, ni) (FNN_TUPLE_FIELD(dest, ni) - 1)

#endif
