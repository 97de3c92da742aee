struct;
union 3;
enum;
enum empty { };
enum { 1 };
enum { A = 1, B = A + 1, C = missing };
struct s { int a; };
union s { int b; };
struct s again = {1};
struct twice { struct twice { int x; } inner; };
struct errors { missing_type a; int b; };
struct errors e = {.b = 1};
struct assertion { _Static_assert(1, "fine"); ; int a; };
struct flexible { int n; float tail[]; };
__rill_kernel__ void k(struct flexible a[3], struct flexible b, long double _Complex *c) { }
enum __attribute__((packed)) small { S1 = -1 };
enum __attribute__((packed)) medium { M1 = -300 };
enum __attribute__((__packed__)) large { L1 = 300 };
_Static_assert(sizeof(enum small) == 1 && sizeof(enum medium) == 2 && sizeof(enum large) == 2, "");
struct __attribute__((aligned(missing))) q { int a; };
#pragma pack(3)
#pragma pack(pop)
#pragma pack(*)
int x
#pragma rill parallel!
    ;
#pragma rill nonsense
