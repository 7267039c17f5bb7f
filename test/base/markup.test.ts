import { describe, expect, it } from "vitest";
import { escapeMarkup, htmlPage } from "../../src/base/index.js";

describe("markup", () => {
  it("escapes everything that could start a tag, an entity or end an attribute", () => {
    expect(escapeMarkup(`a<b>&"c'`)).toBe("a&lt;b&gt;&amp;&quot;c&#39;");
  });

  it("frames a page: the title is text, the body is HTML", () => {
    const page = htmlPage("a < b", "p { margin: 0 }", ["<p>one</p>", "<p>two</p>"]);
    expect(page).toContain("<title>a &lt; b</title>");
    expect(page).toContain("<style>p { margin: 0 }</style>");
    expect(page).toContain("<body>\n<p>one</p>\n<p>two</p>\n</body>");
  });
});
