// DLPack, the exchange of tensors between Python libraries: the layout of its first version, which every one of them
// takes and gives; that of version 1, which says what is read-only; and the table of version 1.2, for calls from C.
#ifndef RILL_PYTHON_DLPACK_H
#define RILL_PYTHON_DLPACK_H

#include <rill/types.h>

#include <stdint.h>

#define DLPACK_NAME "dltensor"
#define DLPACK_VERSIONED_NAME "dltensor_versioned"
#define DLPACK_EXCHANGE_NAME "dlpack_exchange_api"

enum {
    DLPACK_CPU = 1,
    DLPACK_CUDA = 2,
    DLPACK_CUDA_HOST = 3,
    DLPACK_ROCM = 10,
    DLPACK_ROCM_HOST = 11,
    DLPACK_MANAGED = 13
};

struct dlpack_device {
    int32_t type;
    int32_t id;
};

struct dlpack_dtype {
    uint8_t code; // 0 int, 1 uint, 2 float, 4 bfloat, 6 bool
    uint8_t bits;
    uint16_t lanes;
};

struct dlpack_tensor {
    void *data;
    struct dlpack_device device;
    int32_t rank;
    struct dlpack_dtype dtype;
    int64_t *shape;
    int64_t *strides; // in elements; NULL: in one piece
    uint64_t byte_offset;
};

struct dlpack_managed {
    struct dlpack_tensor tensor;
    void *context;
    void (*deleter)(struct dlpack_managed *self);
};

struct dlpack_version {
    uint32_t major;
    uint32_t minor;
};

enum { DLPACK_READ_ONLY = 1 }; // a flag

struct dlpack_versioned {
    struct dlpack_version version;
    void *context;
    void (*deleter)(struct dlpack_versioned *self);
    uint64_t flags;
    struct dlpack_tensor tensor;
};

struct dlpack_exchange {
    struct dlpack_version version;
    const struct dlpack_exchange *previous; // of an older version
    int (*allocate)(void);                  // of another type; not called
    int (*give)(void *object, struct dlpack_versioned **out);
    int (*take)(struct dlpack_versioned *tensor, void **out_object);
    int (*view)(void *object, struct dlpack_tensor *out); // or NULL
    int (*current_stream)(int32_t device_type, int32_t device, void **out_stream);
};

static inline int dlpack_code_of(int type)
{
    switch (type) {
    case RILL_BOOL: return 6;
    case RILL_I8:
    case RILL_I16:
    case RILL_I32:
    case RILL_I64: return 0;
    case RILL_U8:
    case RILL_U16:
    case RILL_U32:
    case RILL_U64: return 1;
    case RILL_F16:
    case RILL_F32:
    case RILL_F64: return 2;
    case RILL_BF16: return 4;
    default: return -1;
    }
}

static inline int dlpack_type_of(struct dlpack_dtype dtype)
{
    for (int type = RILL_BOOL; type <= RILL_BF16 && dtype.lanes == 1; type++) {
        int bits = type <= RILL_U8                                             ? 8
                   : type <= RILL_U16 || type == RILL_F16 || type == RILL_BF16 ? 16
                   : type <= RILL_U32 || type == RILL_F32                      ? 32
                                                                               : 64;
        if (dlpack_code_of(type) == dtype.code && bits == dtype.bits) {
            return type;
        }
    }
    return -1;
}

#endif
