{
  description = "Declarative reconciler for local language-model servers";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      manifest = builtins.fromJSON (builtins.readFile ./package.json);
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "aarch64-darwin"
      ];
      forEach = nixpkgs.lib.genAttrs systems;
    in
    {
      packages = forEach (
        system:
        let
          pkgs = nixpkgs.legacyPackages.${system};
        in
        {
          default = pkgs.buildNpmPackage {
            pname = "converge";
            inherit (manifest) version;
            src = self;
            nodejs = pkgs.nodejs_24;
            # The digests in package-lock.json are enough: no second one to keep up to date.
            npmDeps = pkgs.importNpmLock { npmRoot = ./.; };
            npmConfigHook = pkgs.importNpmLock.npmConfigHook;
            npmFlags = [ "--ignore-scripts" ];
            nativeBuildInputs = [
              pkgs.installShellFiles
              pkgs.makeWrapper
            ];
            buildPhase = "node esbuild.config.ts";
            CONVERGE_BUILD_FORM = "nix";
            CONVERGE_COMMIT = self.rev or "";
            installPhase = ''
              mkdir -p $out/lib/converge
              cp -r dist package.json LICENSE $out/lib/converge
              makeWrapper ${pkgs.nodejs_24}/bin/node $out/bin/converge \
                --add-flags $out/lib/converge/dist/main.js \
                --suffix PATH : ${pkgs.lib.makeBinPath [ pkgs.openssh ]}
              installManPage dist/man/*
              for shell in bash zsh fish; do
                $out/bin/converge completion $shell >converge.$shell
              done
              installShellCompletion converge.{bash,zsh,fish}
            '';
            meta = {
              inherit (manifest) description;
              license = pkgs.lib.licenses.asl20;
              mainProgram = "converge";
            };
          };
        }
      );
    };
}
