// The widget: a button on a web site that opens a chat in a panel. One script without modules: it sets no global, needs no
// connection of its own, and its styles are constructed, which the policies of strict sites allow.
(() => {
  const script = document.currentScript;
  if (!(script instanceof HTMLScriptElement) || !script.src || !script.dataset.chat) {
    // Authors of sites read it while they set the widget up.
    // oxlint-disable-next-line no-console
    console.error('The chat is not shown: the script needs the attribute data-chat, and must not be a module');
    return;
  }
  const { chat, label = 'Chat', color = '', side = 'right' } = script.dataset;
  const { origin } = new URL(script.src);

  const MAX_KEPT_CHARS = 2_000_000;
  const STYLE = `
:host{all:initial;position:fixed;z-index:2147483000;inset:auto 20px 20px auto;color-scheme:light dark;--fill:#4458d8;--on:#fff}
:host([data-side=left]){inset:auto auto 20px 20px}
button{display:grid;place-items:center;width:56px;height:56px;margin:0;padding:0;border:1px solid rgb(128 128 128/.5);border-radius:50%;background:var(--fill);color:var(--on);cursor:pointer;box-shadow:0 4px 16px rgb(0 0 0/.25)}
button:focus-visible{outline:3px solid #4458d8;outline-offset:2px;box-shadow:0 0 0 2px #fff,0 0 0 8px #fff}
svg{width:26px;height:26px;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.panel{position:absolute;right:0;bottom:68px;width:min(400px,100vw - 40px);height:min(640px,100vh - 108px);overflow:hidden;border:1px solid rgb(128 128 128/.4);border-radius:12px;background:Canvas;box-shadow:0 12px 40px rgb(0 0 0/.3)}
:host([data-side=left]) .panel{right:auto;left:0}
.panel[hidden]{display:none}
iframe{display:block;width:100%;height:100%;border:0}
@media(max-width:480px){.panel,:host([data-side=left]) .panel{position:fixed;inset:0;width:100%;height:100dvh;border:0;border-radius:0}}`;

  const host = document.createElement('div');
  host.dataset.side = side === 'left' ? 'left' : 'right';
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  if (/^#[0-9a-f]{6}$/i.test(color)) {
    host.style.setProperty('--fill', color);
    host.style.setProperty('--on', isLight(color) ? '#000' : '#fff');
  }

  const button = document.createElement('button');
  button.type = 'button';
  button.title = label;
  button.setAttribute('aria-label', label);
  button.setAttribute('aria-haspopup', 'dialog');
  button.setAttribute('aria-expanded', 'false');
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', 'M21 11.5a8.4 8.4 0 0 1-12.3 7.4L3 21l2.1-5.7A8.4 8.4 0 1 1 21 11.5Z');
  svg.append(path);
  button.append(svg);

  const panel = document.createElement('div');
  panel.className = 'panel';
  panel.hidden = true;
  panel.setAttribute('role', 'dialog');
  panel.setAttribute('aria-label', label);
  root.append(panel, button);

  let frame: HTMLIFrameElement | null = null;
  let isOpen = false;

  /** The frame is loaded with the first opening, so that a page with the widget loads one small script. */
  const frameOf = (): HTMLIFrameElement => {
    if (frame !== null) return frame;
    frame = document.createElement('iframe');
    frame.title = label;
    frame.referrerPolicy = 'no-referrer';
    frame.src = `${origin}/chat/${encodeURIComponent(chat)}`;
    frame.addEventListener('load', focusIn);
    panel.append(frame);
    return frame;
  };
  const focusIn = (): void => {
    if (!isOpen || frame === null) return;
    frame.focus();
    frame.contentWindow?.postMessage({ everstep: 'open' }, origin);
  };
  const setOpen = (open: boolean): void => {
    isOpen = open;
    panel.hidden = !open;
    button.setAttribute('aria-expanded', String(open));
    if (open) {
      frameOf();
      focusIn();
    } else button.focus();
  };

  button.addEventListener('click', () => setOpen(!isOpen));
  root.addEventListener('keydown', (event) => {
    if (event instanceof KeyboardEvent && event.key === 'Escape' && isOpen) setOpen(false);
  });
  window.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (frame === null || event.source !== frame.contentWindow || event.origin !== origin) return;
    const { data } = event;
    if (typeof data !== 'object' || data === null || !('everstep' in data)) return;
    if (data.everstep === 'close') setOpen(false);
    if (data.everstep === 'keep' && 'value' in data && typeof data.value === 'string') keep(data.value);
    if (data.everstep === 'restore') frame.contentWindow?.postMessage({ everstep: 'kept', value: kept() }, origin);
  });

  /** Browsers may refuse storage to the frame, because it is of another site; the conversation is then kept by this one. */
  const key = `everstep.chat.${chat}`;
  const keep = (value: string): void => {
    try {
      if (value.length <= MAX_KEPT_CHARS) sessionStorage.setItem(key, value);
    } catch {
      // The conversation then lasts as long as the page.
    }
  };
  const kept = (): string => {
    try {
      return sessionStorage.getItem(key) ?? '';
    } catch {
      return '';
    }
  };

  const show = (): void => document.body.append(host);
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', show, { once: true });
  else show();

  /** Whether black can be read better on it than white. */
  function isLight(hex: string): boolean {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(
      (at) => (Number.parseInt(hex.slice(at, at + 2), 16) / 255) ** 2.2,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18;
  }
})();
