package dev.weir.samples.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Compiles every block of Java that the documentation shows, on its pages and in comments. */
class DocumentationTest {

    @TempDir
    private Path classes;

    @TestFactory
    Stream<DynamicTest> everyBlockCompiles() throws IOException {
        return compiled(Pages.all().stream().flatMap(page -> CodeBlock.in(page).stream()));
    }

    @TestFactory
    Stream<DynamicTest> everyBlockOfACommentCompiles() throws IOException {
        return compiled(Pages.sources().stream().flatMap(source -> CodeBlock.inComments(source).stream()));
    }

    private Stream<DynamicTest> compiled(Stream<CodeBlock> blocks) {
        return blocks.map(block -> DynamicTest.dynamicTest(
                Pages.ROOT.relativize(block.page()) + ":" + block.line(),
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
    void thereAreBlocks() {
        assertThat(CodeBlock.in(Pages.ROOT.resolve("README.md"))).isNotEmpty();
        assertThat(CodeBlock.inComments(Pages.ROOT.resolve("core/src/main/java/dev/weir/limit/CountingCalls.java")))
                .singleElement()
                .extracting(CodeBlock::code)
                .asString()
                .startsWith("Limit minute = ");
    }
}
