struct open;
enum color { RED };
typedef int F(int);
int returns_array(void)[3];
F returns_function(int);
int (*fine(int))(void);
F second_function(void);
int parts[3][];
void nothing[3];
F functions[2];
typedef int wide __attribute__((aligned(64)));
wide unaligned[4];
int n;
int at_file_scope[n];
struct with_variable { int a[n]; };
int outside[static 3];
int star[*];
void only_dots(...);
void storage(static int a, extern int b, register int c);
static extern int both;
int restrict not_a_pointer;
struct { static int member; } s;
int restrict *also_not;
void unnamed(int, float) { }
void open_parameter(struct open o) { }
struct open open_result(void) { }
void star_in_definition(int m, int a[*]) { }
int unsigned_typedef(unsigned F);
unsigned enum color mixed;
_Imaginary int imaginary;
_Atomic(int) atomic;
int named __asm__("other");
int array_of_error[missing][3];
int (x);
int *(;
;
int f(void)
{
    int g(void) { return 1; }
    static int grows[n];
    struct open o;
    int inner[];
    extern int n;
    assert(1);
    return 0;
}
int unknown_result(missing_type x) { return x; }
missing_type also_unknown(void) { return 1; }
static int was_static;
int was_static;
int not_static(void);
static int not_static(void) { return 1; }
int function_first(void);
int function_first;
