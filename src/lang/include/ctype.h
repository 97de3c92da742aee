#ifndef __RILL_CTYPE_H
#define __RILL_CTYPE_H

// Declared, and refused where a kernel reaches them.
int isalnum(int);
int isalpha(int);
int isblank(int);
int iscntrl(int);
int isdigit(int);
int isgraph(int);
int islower(int);
int isprint(int);
int ispunct(int);
int isspace(int);
int isupper(int);
int isxdigit(int);
int tolower(int);
int toupper(int);

#endif
