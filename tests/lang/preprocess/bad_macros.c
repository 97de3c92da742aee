#define LIMIT 10
#define LIMIT 20
#define scale(x, factor) ((x) * (factor))
#define twice(x) scale(x)
#define join(a, b) a ## b
#define show(x) #y

int a = scale(3);
int b = 1 + twice(4);
int c = join(+, 7);
	int d = scale(1, 2;
