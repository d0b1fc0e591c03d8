package dev.weir.samples;

import dev.weir.samples.llm.LlmCommand;

/** Calls a language model within a budget of requests and tokens; the model is a stub on the loopback interface. */
public final class LlmClient {

    private LlmClient() {}

    /**
     * Starts sending requests and returns without blocking; the JVM exits at the end.
     *
     * @param args none, or {@code --help}
     */
    public static void main(String[] args) {
        LlmCommand.run(args, System.out, System.err).subscribe(System::exit);
    }
}
