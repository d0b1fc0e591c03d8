package dev.weir.samples.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Compiles every block of Java that the documentation shows. */
class DocumentationTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @TempDir
    private Path classes;

    @TestFactory
    Stream<DynamicTest> everyBlockCompiles() throws IOException {
        return pages().stream()
                .flatMap(page -> CodeBlock.in(page).stream())
                .map(block -> DynamicTest.dynamicTest(
                        ROOT.relativize(block.page()) + ":" + block.line(),
                        block.page().toUri(),
                        () -> assertThat(new Snippet(block).errors(classes)).isEmpty()));
    }

    @Test
    void aBlockThatDoesNotCompileIsFoundByPageAndLine() {
        CodeBlock block =
                new CodeBlock(Path.of("page.md"), 10, "urls.transform(RateLimit.of(5, ofSeconds(1)))\n    .fly()");

        assertThat(new Snippet(block).errors(classes))
                .singleElement()
                .asString()
                .startsWith("page.md:11: ");
    }

    @Test
    void theReadmeHasBlocks() {
        assertThat(CodeBlock.in(ROOT.resolve("README.md"))).isNotEmpty();
    }

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
        if (Files.isDirectory(ROOT.resolve("docs"))) {
            try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
                docs.filter(page -> page.toString().endsWith(".md")).sorted().forEach(pages::add);
            }
        }
        return pages;
    }
}
