package dev.weir.samples.crawler;

import java.io.PrintStream;

/** A progress line that is updated while the crawl runs; without a terminal, one line for each page. */
final class Progress {

    private static final int WIDTH = 79;

    private final int pages;
    private final PrintStream out;
    private final boolean terminal;
    private int finished;

    Progress(int pages, PrintStream out) {
        this.pages = pages;
        this.out = out;
        this.terminal = isTerminal(out);
    }

    void finished(Page page) {
        finished++;
        show("%d of %d pages: %s %s".formatted(finished, pages, page.outcome(), page.path()));
    }

    /** Clears the progress line. */
    void end() {
        if (terminal) {
            show("");
            out.print('\r');
        }
    }

    @SuppressWarnings("SystemConsoleNull") // where a newer JDK has a console without a terminal, it only looks worse
    private static boolean isTerminal(PrintStream out) {
        return out == System.out && System.console() != null;
    }

    private void show(String line) {
        if (terminal) {
            String cut = line.substring(0, Math.min(line.length(), WIDTH));
            out.print('\r' + cut + " ".repeat(WIDTH - cut.length()));
            out.flush();
        } else {
            out.println(line);
        }
    }
}
