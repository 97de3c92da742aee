int octal = 0789;
int big = 99999999999999999999;
float f = 1.5e;
double h = 0x1.8;
char c = '';
char s[] = "tab\q \xfff é\u12";
	int after_tab = 0b102;
int é = 3; int broken = 08;
