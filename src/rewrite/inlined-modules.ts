/** The name of a module that scripts for JavaScript hosts include. */
export type Module = 'resolve' | 'answer' | 'files' | 'as-of' | 'zip-member' | 'versions' | 'fetch-handler';

/** Returns the text of a compiled module. */
export type Program = (name: Module) => string;

/** The modules that answer requests from pages as files, and from versions, on runtimes with the Fetch API. */
const IN_FILES = ['resolve', 'answer', 'files', 'fetch-handler'] as const;
const IN_VERSIONS = ['resolve', 'answer', 'as-of', 'zip-member', 'versions', 'fetch-handler'] as const;

/**
 * Returns modules as the end of a self-contained script. Imports are removed, and exports become declarations that the
 * earlier lines of the script can use. Comments and most of the white space are removed, because some hosts limit the size of a script.
 */
export function inlined(program: Program, ...names: readonly Module[]): string {
  const texts = names.map((name) =>
    program(name)
      .replace(/^import .*\n/gm, '')
      .replace(/^export (?=[a-z])/gm, '')
      .replace(/^ *(?:\/\*\*[\s\S]*?\*\/|\/\/.*)\n/gm, '')
      .replace(/\n +(?=(?:return|continue|throw) )/g, ' ')
      .replace(/^ +/gm, ''),
  );
  return `// The rest is the same on every host. Do not edit it.\n\n${texts.join('\n')}`;
}

/** Returns the modules that a host with the Fetch API needs, as {@link inlined} does. */
export function inlinedFetchHandler({ program, hasVersions }: { readonly program: Program; readonly hasVersions: boolean }): string {
  return inlined(program, ...(hasVersions ? IN_VERSIONS : IN_FILES));
}

/**
 * Returns the expression for the source of a site, on a runtime with the Fetch API.
 * @param open the expression for the function that reads files
 * @param files the encodings of compressed copies, if pages are files
 * @param tools the expression for the tools, if there are versions
 */
export function sourceOf({ hasVersions }: { readonly hasVersions: boolean }, open: string, files: string, tools = 'WEB_TOOLS'): string {
  return hasVersions ? `inVersions(${open}, ${tools})` : `inFiles(${open}, ${files})`;
}
