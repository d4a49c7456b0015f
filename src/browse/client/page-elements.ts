/** Creates an element. Texts become text nodes, never markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: { readonly [name: string]: string } = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** The relative path from the page to the root of the tree. */
export function rootPath(): string {
  return document.body.dataset['root'] ?? '';
}

/** The changes on the page, in order. */
export function allChanges(): HTMLElement[] {
  return Array.from(document.querySelectorAll<HTMLElement>('.changes article'));
}

/** The changes that no filter hides, in order. */
export function shownChanges(): HTMLElement[] {
  return allChanges().filter((change) => change.getClientRects().length > 0);
}

/** Opens a dialog with a title and a button that closes it. It is removed when it closes. */
export function openDialog(name: string, title: string, ...content: readonly Node[]): HTMLDialogElement {
  const heading = element('h2', { id: `${name}-title` }, title);
  const close = element('button', { type: 'button' }, 'Close');
  const dialog = element('dialog', { class: name, 'aria-labelledby': heading.id }, heading, ...content, close);
  const opener = document.activeElement;
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (opener instanceof HTMLElement) opener.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
