package dev.weir.benchmarks.waiting;

import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** A contender that knows of nobody who waits: each has a timer. */
final class TimerRoom implements Room {

    private final List<ScheduledThreadPoolExecutor> timers;
    private final Supplier<Object> enter;
    private final Predicate<Object> leave;

    TimerRoom(List<ScheduledThreadPoolExecutor> timers, Supplier<Object> enter, Predicate<Object> leave) {
        this.timers = timers;
        this.enter = enter;
        this.leave = leave;
    }

    @Override
    public Object enter() {
        return enter.get();
    }

    @Override
    public boolean leave(Object request) {
        return leave.test(request);
    }

    @Override
    public long waiting() {
        return timers();
    }

    @Override
    public int timers() {
        return timers.stream().mapToInt(timer -> timer.getQueue().size()).sum();
    }
}
