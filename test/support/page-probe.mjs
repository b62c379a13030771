// Runs in a browser's page, so each function stands alone.

export function lookAround() {
  const channels = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (colour) => {
    const [red, green, blue] = colour.map((channel) => {
      const part = channel / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const groundOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if ((colour[3] ?? 1) > 0) return colour;
    }
    return [255, 255, 255];
  };
  let worst = { ratio: 21, text: '' };
  let texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.textContent.trim() === '') continue;
    texts += 1;
    const text = luminance(channels(getComputedStyle(node.parentElement).color));
    const ground = luminance(groundOf(node.parentElement));
    const ratio = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
    if (ratio < worst.ratio) worst = { ratio, text: node.textContent.slice(0, 40) };
  }
  const articles = [...document.querySelectorAll('article')];
  return {
    hit: window.hit,
    scripts: document.querySelectorAll('script, iframe, form, img, link, object, embed').length,
    articles: articles.length,
    hidden: articles.filter((article) => article.clientHeight < 50).length,
    scrollWidth: document.documentElement.scrollWidth,
    texts,
    worst,
  };
}

export function textOf(selector) {
  return document.querySelector(selector)?.textContent;
}

export function scrollTopOf(selector) {
  return document.querySelector(selector)?.scrollTop ?? 0;
}
