// How the site's search ranks pages. Sphinx loads this before its searchtools.js.
//
// Sphinx gives a page the score of its best word. Here the scores of all words of the query add up,
// and a word of a page's `<!-- search: ... -->` comment counts as much as one of a heading.

// These pages mention everything; a reader seldom wants them first.
const LESS_WANTED =
  /^(CHANGELOG|CONTRIBUTING|SECURITY|benchmarks|examples|docs\/(contributors|index|start\/how-do-i|reference\/(commands|control-api)))/;

var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: {},
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  score([page, , , , score, , kind]) {
    const rank = kind === "text" ? Scorer.sum(page, score) : score + 10;
    return LESS_WANTED.test(page) ? rank / 2 : rank;
  },

  sum(page, score) {
    const { docnames, indexentries, titleterms } = Search._index;
    const number = docnames.indexOf(page);
    const query = new URLSearchParams(location.search).get("q") ?? "";
    const words = (text) =>
      splitQuery(text.toLowerCase()).map((word) =>
        new Stemmer().stemWord(word),
      );
    const ours = Object.entries(indexentries)
      .filter(([, places]) => places.some(([file]) => file === number))
      .flatMap(([entry]) => words(entry));
    const inHeading = (word) =>
      [titleterms[word] ?? []].flat().includes(number);
    const scores = words(query)
      .filter((word) => !stopwords.has(word))
      .map((word) => (ours.includes(word) ? 16 : inHeading(word) ? 15 : 5));
    return scores.reduce((sum, each) => sum + each, Math.min(score, 1));
  },
};
