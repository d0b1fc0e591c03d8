package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** After every test here, whatever it was about: nothing has blocked where it may not. */
public final class NothingBlocks implements AfterTestExecutionCallback {

    @Override
    public void afterTestExecution(ExtensionContext context) {
        assertThat(BlockingTools.seen().stream().map(NothingBlocks::whereFrom)).isEmpty();
    }

    /** The whole stack: what matters is at its far end. */
    private static String whereFrom(Throwable blocked) {
        StringWriter text = new StringWriter();
        blocked.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
