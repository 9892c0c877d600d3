"""Putting a mask where the keywords of a statement stand."""

from collections.abc import Sequence

from situatedgen.params import MaskParams
from situatedgen.records import Span
from situatedgen.vocabulary import Context, Verdict


def mask(text: str, spans: Sequence[Span], mask: str) -> str:
    """The text with the mask in place of each span; the spans are sorted and do not overlap (§4.3).

    Example:
        >>> mask("July is summer in China.", [Span(0, 4), Span(8, 14), Span(18, 23)], "[UNK]")
        '[UNK] is [UNK] in [UNK].'
    """
    starts = [0, *(span.end for span in spans)]
    ends = [*(span.start for span in spans), len(text)]
    return mask.join(text[start:end] for start, end in zip(starts, ends, strict=True))


def mask_verdict(context: Context, mask_count: int, params: MaskParams) -> Verdict:
    """Whether a statement has a context and a fair number of masks (§A.2), or what is wrong with it."""
    if context is Context.NONE:
        return Verdict.NO_CONTEXT
    if mask_count < params.min_masks:
        return Verdict.TOO_FEW_MASKS
    return Verdict.TOO_MANY_MASKS if mask_count > params.max_masks else Verdict.KEPT
