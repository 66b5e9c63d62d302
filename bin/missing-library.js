// Says how to get a library that a program could not be loaded without.

/** What holds the library: with apt-get of Debian and Ubuntu, with dnf of Fedora and its relatives. */
const packages = {
  libatomic: ['libatomic1', 'libatomic'],
  'libstdc++': ['libstdc++6', 'libstdc++'],
  libgcc_s: ['libgcc-s1', 'libgcc'],
};

/** @param error what the system said when the program was to be loaded */
export function howToLoad(error) {
  const library = /(lib[\w.+-]+): cannot open shared object file/.exec(error)?.[1];
  const names = packages[library?.split('.so')[0]];
  if (names !== undefined) {
    const [apt, dnf] = names;
    return `Install the library, and run the same command again:\n  apt-get install ${apt}    (Debian, Ubuntu)\n  dnf install ${dnf}    (Fedora, RHEL)`;
  }
  if (library !== undefined) return `Install ${library}, and run the same command again.`;
  return 'It is built for systems with the GNU C library; on Alpine install Node itself: apk add nodejs-current npm';
}
