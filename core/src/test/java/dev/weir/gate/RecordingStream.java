package dev.weir.gate;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** A stream that notes what its ends hear, and does something with each element. */
class RecordingStream extends TestStream {

    final List<String> heard = new ArrayList<>();
    final Executor worker = RecordingWorker.of(heard, Runnable::run);
    Runnable onNext = () -> {};

    @Override
    public boolean next(Integer element) {
        heard.add(String.valueOf(element));
        onNext.run();
        return true;
    }

    @Override
    public void complete() {
        heard.add("complete");
    }

    @Override
    public void cancelSource() {
        heard.add("cancelled");
    }
}
