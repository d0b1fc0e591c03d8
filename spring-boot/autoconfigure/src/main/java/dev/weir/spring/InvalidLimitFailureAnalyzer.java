package dev.weir.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Turns a limit that makes no sense into a start-up failure that names the property instead of a stack of causes. */
public final class InvalidLimitFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLimitException> {

    /** Made by Spring Boot. */
    public InvalidLimitFailureAnalyzer() {}

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLimitException cause) {
        return new FailureAnalysis(
                cause.getMessage() + ".", "Change '" + cause.property() + "' in the configuration.", cause);
    }
}
