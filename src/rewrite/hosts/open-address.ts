/** The lines of a script that name the address of a site with versions. */
export const ADDRESS_LINES = `const TREE = 'https://bucket.example.org/history'; // <-- the public address of the folder with head.json
`;

/** The functions of a script that reads the files at `TREE` with `fetch`, and that sends them unpacked. */
export const OPEN_ADDRESS = `async function open(path, range) {
  const headers = { 'Accept-Encoding': 'identity' };
  if (range) headers.Range = \`bytes=\${range.from}-\${range.from + range.length - 1}\`;
  const file = await fetch(\`\${TREE}/\${path}\`, { headers, cache: range ? 'default' : 'no-cache' });
  // The whole file is as large as the site.
  if (file.ok && range && file.status !== 206) throw new Error('the server of the versions does not support ranges');
  return file.ok ? new Uint8Array(await file.arrayBuffer()) : undefined;
}

// What is in front of this program compresses responses.
function asIdentity({ method, url, headers }) {
  return { method, url, headers: { get: (name) => (name === 'Accept-Encoding' ? null : headers.get(name)) } };
}
`;
