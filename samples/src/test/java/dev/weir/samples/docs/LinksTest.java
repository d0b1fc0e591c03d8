package dev.weir.samples.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every link of a page to another one, or to a place in it, leads somewhere. */
class LinksTest {

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]*)(?:#([^)\\s]*))?\\)");
    private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```|`[^`\n]*`");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        assertThat(Pages.all()).flatMap(LinksTest::broken).isEmpty();
    }

    @Test
    void aLinkThatLeadsNowhereIsFound(@TempDir Path folder) throws IOException {
        Path page = folder.resolve("page.md");
        Files.writeString(
                page, "# What is here, and `Where`\n[a](page.md#what-is-here-and-where) [b](#none) [c](gone.md)");

        assertThat(broken(page)).containsExactly(page + ": #none", page + ": gone.md");
    }

    private static List<String> broken(Path page) {
        return LINK.matcher(CODE.matcher(read(page)).replaceAll(""))
                .results()
                .filter(link -> !link.group(1).contains("://"))
                .filter(link -> !leadsSomewhere(page, link))
                .map(link -> page + ": " + link.group().replaceAll("^]\\(|\\)$", ""))
                .toList();
    }

    private static boolean leadsSomewhere(Path page, MatchResult link) {
        Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1));
        return Files.exists(target)
                && Optional.ofNullable(link.group(2))
                        .map(place -> places(target).anyMatch(place::equals))
                        .orElse(true);
    }

    /** The headings of a page, as GitHub names them. */
    private static Stream<String> places(Path page) {
        return HEADING.matcher(read(page))
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}\\- _]", "")
                        .replace(' ', '-'));
    }

    private static String read(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException unreadable) {
            throw new AssertionError(page + " cannot be read", unreadable);
        }
    }
}
