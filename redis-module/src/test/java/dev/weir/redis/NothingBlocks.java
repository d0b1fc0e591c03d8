package dev.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** After every test here, whatever it was about: nothing has blocked where it may not. */
public final class NothingBlocks implements AfterTestExecutionCallback {

    @Override
    public void afterTestExecution(ExtensionContext context) {
        assertThat(BlockingTools.seen()).isEmpty();
    }
}
