/** A client of a language model that keeps two budgets, of requests and of tokens, and a model that insists on its own. */
@NullMarked
package dev.weir.samples.llm;

import org.jspecify.annotations.NullMarked;
