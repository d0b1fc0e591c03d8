package dev.weir.samples.llm;

import java.time.Duration;

/**
 * What a model answers.
 *
 * @param status of HTTP
 * @param tokens how many tokens were used
 * @param retryAfter after a refusal, how long to wait
 */
record Answer(int status, int tokens, Duration retryAfter) {

    static final int TOO_MANY_REQUESTS = 429;

    boolean isRefusal() {
        return status == TOO_MANY_REQUESTS;
    }
}
