package dev.weir.rxjava;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivex.rxjava3.plugins.RxJavaPlugins;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Virtual time where the computation scheduler is, if asked for, and whatever is said to the plugins: nothing, unless taken. */
final class Plugins implements BeforeEachCallback, AfterEachCallback {

    private final boolean virtualTime;
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private TestScheduler scheduler = new TestScheduler();

    private Plugins(boolean virtualTime) {
        this.virtualTime = virtualTime;
    }

    static Plugins withVirtualTime() {
        return new Plugins(true);
    }

    static Plugins withRealTime() {
        return new Plugins(false);
    }

    TestScheduler scheduler() {
        return scheduler;
    }

    /** What the plugins have heard; taken, so that it does not fail the test. */
    List<Throwable> takeErrors() {
        List<Throwable> taken = List.copyOf(errors);
        errors.clear();
        return taken;
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        errors.clear();
        RxJavaPlugins.setErrorHandler(errors::add);
        if (virtualTime) {
            scheduler = new TestScheduler();
            TestScheduler current = scheduler;
            RxJavaPlugins.setComputationSchedulerHandler(usual -> current);
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        RxJavaPlugins.reset();
        assertThat(errors).as("errors that the plugins heard").isEmpty();
    }
}
