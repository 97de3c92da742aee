#ifndef __RILL_STDNORETURN_H
#define __RILL_STDNORETURN_H

#define noreturn _Noreturn

#endif
