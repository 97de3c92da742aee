#define X 1
#define NAME "X"
#pragma push_macro(NAME)
#pragma push_macro
#pragma push_macro "X"
#pragma push_macro("X"
#pragma push_macro("X" "Y")
#pragma push_macro(X)
#pragma pop_macro("X")
#pragma push_macro("X") again
#pragma pop_macro("X")
_Pragma("pop_macro(\"Z\")")
_Pragma("push_macro(Z)")
