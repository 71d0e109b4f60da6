/** Calls `look` at once, and whenever the element is scrolled or gets another size. Returns what ends that. */
export function watchScroller(element: HTMLElement, look: () => void): () => void {
  look();
  const observer = new ResizeObserver(look);
  observer.observe(element);
  element.addEventListener('scroll', look, { passive: true });
  return () => {
    observer.disconnect();
    element.removeEventListener('scroll', look);
  };
}
