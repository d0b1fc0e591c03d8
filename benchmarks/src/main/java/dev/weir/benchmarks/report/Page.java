package dev.weir.benchmarks.report;
import java.nio.file.Path;
/** x. */
public final class Page { private final Results results; public Page(Results results) { this.results = results; } public void write(Path directory) { System.out.println(results.rows().size() + " rows " + directory); } }
