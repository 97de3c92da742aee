// Texts made from a grammar file of tests/generate/grammar, which holds rules:
//
//     ;; a comment
//     :name                  a rule with one alternative in each line
//     x[i] & 1
//     y[$index] > $[0,9]
//
//     ::name                 a rule whose alternatives are separated by lines `--`
//     for (int i = 0; i < n; i++) {
//         $body
//     }
//     --
//     ;
//
// In an alternative stand
//     $name or ${name}       one alternative of that rule
//     $[low,high]            a number
//     $#                     a number that this alternative has to itself, for names
//     $A=name                as $name; $A is the same text again, here and in what is expanded from here on
//     $A~name, $A~(text)     the same without writing it
//     $-                     nothing: an alternative that is empty
// Where rules nest too deeply, the first alternative is taken, which must end.
// The line `$include name` at the left edge stands for the rules of another file of the folder.
#ifndef RILL_TESTS_SUPPORT_GENERATE_GRAMMAR_H
#define RILL_TESTS_SUPPORT_GENERATE_GRAMMAR_H

#include "generate_internal.h"

// Writes the rule "file" of a grammar, with the lines indented by their braces.
void gen_grammar_file(struct gen *g, const char *name);

#endif
