package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.PropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;

/** Reads the properties that the documentation shows as an application does, so that one that does not exist is found. */
class DocumentedPropertiesTest {

    private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

    private static final Pattern BLOCK = Pattern.compile("```(yaml|properties)\n(.*?)```", Pattern.DOTALL);

    /** In the text, with a value or without. A group of properties, such as {@code weir.http}, is none. */
    private static final Pattern PROPERTY =
            Pattern.compile("`(weir\\.(?:enabled|(?:http|redis)\\.[^`=]+|limits\\.[^`.]+\\.[^`=]+))(=[^`]*)?`");

    @TestFactory
    @DisplayName("all that a block says is read, and its limits are valid")
    Stream<DynamicTest> blocks() throws IOException {
        return each(BLOCK, DocumentedPropertiesTest::readBlock);
    }

    @TestFactory
    @DisplayName("every property that the text names is read")
    Stream<DynamicTest> properties() throws IOException {
        return each(PROPERTY, DocumentedPropertiesTest::readProperty);
    }

    @Test
    @DisplayName("there are blocks and properties, and one that does not exist is found")
    void seen() throws IOException {
        Path page = ROOT.resolve("docs").resolve("spring-boot.md");
        assertThat(in(page, BLOCK)).hasSizeGreaterThan(2);
        assertThat(in(page, PROPERTY)).isNotEmpty();
        for (String wrong : List.of(
                "```yaml\nweir:\n  http:\n    ipv5-prefix: 64\n```", "```properties\nweir.http.ipv5-prefix=64\n```")) {
            MatchResult block = BLOCK.matcher(wrong).results().findFirst().orElseThrow();
            assertThatThrownBy(() -> readBlock(block)).hasMessageContaining("'weir.http.ipv5-prefix'");
        }
        for (String wrong : List.of("`weir.http.ipv5-prefix`", "`weir.http.ipv5-prefix=64`")) {
            MatchResult property = PROPERTY.matcher(wrong).results().findFirst().orElseThrow();
            assertThatThrownBy(() -> readProperty(property)).hasMessageContaining("'weir.http.ipv5-prefix'");
        }
    }

    private static Stream<DynamicTest> each(Pattern pattern, Consumer<MatchResult> reading) throws IOException {
        return pages().stream()
                .flatMap(page -> in(page, pattern).stream()
                        .map(found -> DynamicTest.dynamicTest(
                                ROOT.relativize(page) + ": " + firstTwoLines(found),
                                page.toUri(),
                                () -> reading.accept(found))));
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> inRoot = Files.list(ROOT);
                Stream<Path> underDocs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(inRoot, underDocs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    private static String firstTwoLines(MatchResult found) {
        return found.group().lines().limit(2).collect(Collectors.joining(" "));
    }

    private static List<MatchResult> in(Path page, Pattern pattern) {
        try {
            return pattern.matcher(Files.readString(page)).results().toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static void readBlock(MatchResult block) {
        boolean isYaml = block.group(1).equals("yaml");
        LimitReader.read(
                read(isYaml ? new YamlPropertySourceLoader() : new PropertiesPropertySourceLoader(), block.group(2)));
    }

    /** Without a value, a switch or a number cannot be bound, but is known; what is not known fails otherwise. */
    private static void readProperty(MatchResult property) {
        String value = property.group(2);
        try {
            read(new PropertiesPropertySourceLoader(), property.group(1) + (value == null ? "=" : value));
        } catch (BindException known) {
            if (value != null) {
                throw known;
            }
        }
    }

    private static WeirProperties read(PropertySourceLoader loader, String text) {
        StandardEnvironment environment = new StandardEnvironment();
        try {
            loader.load("page", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))
                    .forEach(environment.getPropertySources()::addFirst);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return PropertyReader.read(environment);
    }
}
