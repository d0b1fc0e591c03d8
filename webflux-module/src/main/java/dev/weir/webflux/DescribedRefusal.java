package dev.weir.webflux;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponse;

/** A refusal as a {@link RefusalWriter} is told it: always the same headers and problem, so that what it changes there stays. */
final class DescribedRefusal implements ErrorResponse {

    private final HttpStatusCode status;
    private final HttpHeaders headers;
    private final ProblemDetail problem;

    DescribedRefusal(HttpStatusCode status, HttpHeaders headers, ProblemDetail problem) {
        this.status = status;
        this.headers = headers;
        this.problem = problem;
    }

    @Override
    public HttpStatusCode getStatusCode() {
        return status;
    }

    @Override
    public HttpHeaders getHeaders() {
        return headers;
    }

    @Override
    public ProblemDetail getBody() {
        return problem;
    }
}
