package dev.weir.samples.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A block of Java in a page of the documentation, or in a comment of the sources.
 *
 * @param page the file
 * @param line the line of its first line of code, from 1
 * @param code the text
 */
record CodeBlock(Path page, int line, String code) {

    /** Those of a page. */
    static List<CodeBlock> in(Path page) {
        return between("```java", "```", page, "");
    }

    /** Those of the comments for users in a source. */
    static List<CodeBlock> inComments(Path source) {
        return between("* <pre>{@code", "* }</pre>", source, "^ *\\* ?");
    }

    private static List<CodeBlock> between(String begin, String end, Path page, String margin) {
        List<String> lines = lines(page);
        List<CodeBlock> blocks = new ArrayList<>();
        for (int number = 0; number < lines.size(); number++) {
            if (lines.get(number).strip().equals(begin)) {
                List<String> code = lines.subList(number + 1, lines.size()).stream()
                        .takeWhile(line -> !line.strip().equals(end))
                        .map(line -> line.replaceFirst(margin, ""))
                        .toList();
                blocks.add(new CodeBlock(page, number + 2, String.join("\n", code)));
                number += code.size() + 1;
            }
        }
        return blocks;
    }

    private static List<String> lines(Path page) {
        try {
            return Files.readAllLines(page);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
