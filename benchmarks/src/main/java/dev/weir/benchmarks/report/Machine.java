package dev.weir.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What the measurements were taken on.
 *
 * @param processor its model
 * @param processors how many there are
 * @param system the operating system
 * @param machine the virtual machine
 * @param load how many threads wanted to run when the measurements began; more than the processors make them noisy
 */
public record Machine(String processor, int processors, String system, String machine, double load) {

    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

    static Machine present() {
        var os = java.lang.management.ManagementFactory.getOperatingSystemMXBean();
        return new Machine(
                processorModel(),
                os.getAvailableProcessors(),
                os.getName() + " " + os.getVersion(),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
                Math.round(os.getSystemLoadAverage() * 10) / 10.0);
    }

    /** As Linux tells it; elsewhere the architecture has to do. */
    private static String processorModel() {
        if (Files.isReadable(CPU_INFO)) {
            try (Stream<String> lines = Files.lines(CPU_INFO)) {
                return lines.filter(line -> line.startsWith("model name"))
                        .map(line -> line.substring(line.indexOf(':') + 1).trim())
                        .findFirst()
                        .orElse(System.getProperty("os.arch"));
            } catch (IOException e) {
                return System.getProperty("os.arch");
            }
        }
        return System.getProperty("os.arch");
    }
}
