package dev.weir.samples.llm;

/**
 * A request and its answer.
 *
 * @param prompt the text of the request
 * @param permitNanos when the request got its permits and left
 * @param estimate how many tokens were taken beforehand
 * @param answer what came back
 */
record Exchange(String prompt, long permitNanos, int estimate, Answer answer) {}
