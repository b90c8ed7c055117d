/** Taking the detail along: the names or sentences of a cell, the scores of a word, and what explains a link. */

import type { Cell, Sources } from "../answers";
import { csv } from "../export";
import type { Bar } from "./bars";

/** What is shown, as CSV. */
export function numbers(cell: Cell | null, listed: readonly Bar[]): string {
  if (cell?.names.length) {
    return csv(["name", "usual_gender", "to_target", "to_feature", "log_prior"], cell.names.map((n) => [n.name, n.gender, n.x, n.y, n.common]));
  }
  if (cell?.templates) {
    return csv(["sentence", "log_p", "log_prior", "log_ratio"], cell.templates.map((t) => [t.text, t.log_p, t.log_prior, t.log_ratio]));
  }
  return csv(["word", "score", "low", "high"], listed.map((b) => [b.word, b.score, b.low, b.high]));
}

export const explanations = ({ sources, raw }: Sources): string =>
  csv(["held_fixed", "category", "score", "partial", "low", "high", "share", "share_low", "share_high"],
    sources.map((s) => [s.name, s.category, raw, s.partial, s.partial_low, s.partial_high, s.share, s.share_low, s.share_high]));
