# typed: false
# frozen_string_literal: true

# Filled in by packaging/homebrew/fill.ts for each release, and written into the tap by its workflow.
class Converge < Formula
  desc "Declarative reconciler for local language-model servers"
  homepage "@HOMEPAGE@"
  url "@URL@"
  sha256 "@SHA256@"
  license "Apache-2.0"

  livecheck do
    url :stable
  end

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    # Not a link: that would run with whichever Node comes first in PATH. The paths are those of `opt`, which stay through upgrades,
    # because a schedule names them.
    (bin/"converge").write_env_script opt_libexec/"bin/converge",
                                      PATH:          "#{Formula["node"].opt_bin}:${PATH}",
                                      CONVERGE_FORM: "homebrew"
    man1.install_symlink Dir[libexec/"lib/node_modules/@PACKAGE@/dist/man/*.1"]
    man5.install_symlink Dir[libexec/"lib/node_modules/@PACKAGE@/dist/man/*.5"]
    generate_completions_from_executable(libexec/"bin/converge", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/converge --version")
    (testpath/"hosts.yaml").write <<~YAML
      all:
        hosts:
          box:
    YAML
    assert_match "valid", shell_output("#{bin}/converge validate -i #{testpath}/hosts.yaml")
  end
end
