"""Trends of signals that have different units, or are only true or false."""

from playwright.sync_api import Page

TRENDS = "Tool.Pose.Z,Flange.Closed,Tool.Force.Z"
IS_DRAWN = "document.querySelector('.tc-chart')?.dataset.signals === '3'"
SCALES = """() => {
  const { xAxis, yAxis } = window.twincellChart.getOption();
  const shown = yAxis.filter((one) => one.show).map((one) => one.name ?? "");
  return { onZero: xAxis[0].axisLine.onZero, shown };
}"""


def test_every_signal_has_a_scale_that_can_be_read(page: Page):
    page.goto(f"{page.url.partition('?')[0]}?tab=Trends&trends={TRENDS}")
    page.wait_for_function(IS_DRAWN)
    scales = page.evaluate(SCALES)
    assert scales["shown"] == ["m", "N", ""]  # the last one says true and false
    assert not scales["onZero"]  # time stands at the bottom, whatever is zero
