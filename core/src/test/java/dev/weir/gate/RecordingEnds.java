package dev.weir.gate;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** Ends that note what they hear, and do something with each element. */
class RecordingEnds extends Ends {

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
