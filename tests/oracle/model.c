// What is known of a nest once all of its accesses are: which units of memory they touch.
#include "oracle.h"

void model_settle(const struct extraction *from, struct model *model)
{
    for (int i = 0; i < model->access_count; i++) {
        struct access *access = &model->accesses[i];
        int64_t unit = from->storages->items[access->storage].unit;
        if (access->offset == NULL || unit == 0) {
            continue;
        }
        isl_pw_aff *first =
            isl_pw_aff_scale_down_val(isl_pw_aff_copy(access->offset), isl_val_int_from_si(from->ctx, unit));
        isl_map *touches = isl_map_from_pw_aff(first);
        int64_t count = access->size / unit;
        if (count > 1) { // from the first unit to all of them
            isl_space *line = isl_space_map_from_set(isl_space_set_alloc(from->ctx, 0, 1));
            isl_map *all = isl_map_universe(isl_space_copy(line));
            isl_local_space *local = isl_local_space_from_space(line);
            isl_constraint *low = isl_constraint_alloc_inequality(isl_local_space_copy(local));
            low = isl_constraint_set_coefficient_si(low, isl_dim_in, 0, -1);
            low = isl_constraint_set_coefficient_si(low, isl_dim_out, 0, 1);
            isl_constraint *high = isl_constraint_alloc_inequality(local);
            high = isl_constraint_set_coefficient_si(high, isl_dim_in, 0, 1);
            high = isl_constraint_set_coefficient_si(high, isl_dim_out, 0, -1);
            high = isl_constraint_set_constant_si(high, (int)count - 1);
            all = isl_map_add_constraint(isl_map_add_constraint(all, low), high);
            touches = isl_map_apply_range(touches, all);
        }
        access->touches = isl_map_intersect_domain(touches, isl_set_copy(access->domain));
    }
}

void model_finish(struct model *model)
{
    for (int i = 0; i < model->access_count; i++) {
        struct access *access = &model->accesses[i];
        isl_pw_aff_free(access->offset);
        isl_set_free(access->domain);
        isl_map_free(access->source);
        isl_map_free(access->touches);
    }
    for (int i = 0; i < model->loop_count; i++) {
        isl_set_free(model->loops[i].holds);
    }
    *model = (struct model){0};
}
