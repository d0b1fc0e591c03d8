package dev.weir.samples.llm;

/**
 * A request and its answer.
 *
 * @param prompt the text of the request
 * @param estimate how many tokens were taken beforehand
 * @param status of the answer
 * @param tokens how many tokens were actually used
 */
record Exchange(String prompt, int estimate, int status, int tokens) {

    static final int TOO_MANY_REQUESTS = 429;

    boolean isRefused() {
        return status == TOO_MANY_REQUESTS;
    }
}
