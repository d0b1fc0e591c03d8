package dev.weir.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports an invalid limit as a start-up failure that names the property instead of a chain of exceptions. */
public final class InvalidLimitFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLimitException> {

    /** Called by Spring Boot. */
    public InvalidLimitFailureAnalyzer() {}

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLimitException cause) {
        return new FailureAnalysis(cause.getMessage() + ".", cause.remedy(), cause);
    }
}
