/** For each template: the paths it ignores, and after the exclamation mark those it keeps. */
export const gitignoreCases: Readonly<Record<string, string>> = {
  Actionscript: 'Main.swf lib/core.swc bin-debug/Main.html ! src/Main.as .actionScriptProperties',
  Ada: 'main.o main.ali b~main.adb alire/cache/x ! main.adb main.ads app.gpr alire.toml',
  Agda: 'Nat.agdai MAlonzo/Code/Nat.hs ! Nat.agda Nat.lagda.md',
  Android:
    '.gradle/x app/build/outputs/a.txt local.properties app.apk key.jks ! app/src/main/AndroidManifest.xml gradle.properties',
  Ansible: 'site.retry .vault_pass .ansible/tmp/x ! site.yml inventory/hosts',
  ArchLinuxPackages:
    'foo-1.0-1-x86_64.pkg.tar.zst foo-1.0.tar.gz pkg/foo/usr/bin/foo src/x.c ! PKGBUILD .SRCINFO fix.patch',
  Archives: 'a.zip b.tar.gz c/d.7z e.tar.zst ! a.txt zip/readme.md',
  Autotools:
    'configure Makefile.in src/.deps/a.Po config.log autom4te.cache/x ! configure.ac Makefile.am src/main.c',
  Backup: 'a.bak b.orig c.txt~ ! a.txt original.md',
  Bazel: 'bazel-bin/app bazel-out/x user.bazelrc ! BUILD.bazel MODULE.bazel .bazelrc',
  C: 'main.o lib/libm.so.1 app.exe main.d .main.o.cmd ! main.c main.h run.cmd model.c',
  'C++': 'main.o lib/x.so.1.2 a.pdb core.gch compile_commands.json ! main.cpp main.hpp CMakeLists.txt',
  CMake:
    'CMakeCache.txt sub/CMakeFiles/x build/app cmake-build-debug/x CMakeUserPresets.json ! CMakeLists.txt CMakePresets.json tools/build/x.cmake',
  CUDA: 'kernel.ptx kernel.cubin a.fatbin.c run.nsys-rep ! kernel.cu kernel.cuh',
  CakePHP:
    'vendor/autoload.php tmp/cache/x logs/error.log config/app_local.php ! config/app.php tmp/empty src/Application.php',
  Clojure:
    'target/app.jar .cpcache/x .nrepl-port .lein-repl-history .clj-kondo/.cache/x ! project.clj deps.edn src/core.clj .clj-kondo/config.edn',
  CodeIgniter:
    'vendor/x writable/logs/log-1.php writable/session/ci1 .env application/cache/x ! writable/logs/index.html application/config/config.php',
  CommonLisp: 'main.fasl lib/x.lx64fsl app.core ! main.lisp app.asd',
  Composer: 'vendor/autoload.php composer.phar auth.json ! composer.json composer.lock',
  Crystal: 'lib/kemal/x.cr .shards/x bin/app ! shard.yml src/lib/x.cr',
  D: 'app.o .dub/x libx.a app-test-library ! source/app.d dub.json dub.selections.json',
  Dart: '.dart_tool/package_config.json build/x main.dart.js ! pubspec.yaml pubspec.lock lib/main.dart',
  Delphi:
    'Unit1.dcu Win32/Debug/app.exe __history/Unit1.pas.~1~ app.dproj.local ! Unit1.pas Unit1.dfm app.dproj',
  Diff: 'a.diff b/fix.patch c.rej ! a.txt patch/readme.md',
  Dotnet:
    'bin/Debug/net9.0/a.dll src/Obj/x a.nupkg TestResults/r.trx App.csproj.user ! App.csproj Program.cs appsettings.json',
  Drupal:
    'vendor/x web/core/lib/x web/sites/default/settings.php web/sites/default/files/a.png ! web/sites/default/default.settings.php composer.json web/modules/custom/a/a.module',
  Eclipse: '.metadata/x .settings/org.prefs .project .classpath bin/A.class ! src/A.java pom.xml',
  Elixir: '_build/dev/x deps/plug/mix.exs erl_crash.dump a.ez ! mix.exs mix.lock lib/deps/x.ex',
  Elm: 'elm-stuff/x repl-temp-1.elm elm.js ! elm.json src/Main.elm public/index.html',
  Emacs: 'a.txt~ #a.txt# .#a.txt init.elc elpa/x ! init.el a.org',
  Erlang: 'ebin/a.beam _build/x erl_crash.dump deps/cowboy/x ! src/a.erl rebar.config src/a.app.src',
  Fortran: 'main.o mesh.mod mesh.smod ! main.f90 mesh.f fpm.toml',
  Flutter:
    '.dart_tool/x build/app.apk ios/Pods/x .flutter-plugins-dependencies android/local.properties ! pubspec.yaml lib/main.dart ios/Runner/Info.plist .metadata',
  ForceDotCom:
    '.sfdx/x .sf/x deploy/a.zip build.properties ! sfdx-project.json force-app/main/a.cls .forceignore',
  GPG: 'private-keys-v1.d/a.key random_seed S.gpg-agent.ssh ! gpg.conf release.asc',
  Gcov: 'a.gcda b/a.gcno a.c.gcov ! a.c a.h',
  GitBook: '_book/index.html book.epub node_modules/x ! book.json SUMMARY.md',
  Go: 'app.exe pkg.test cover.out go.work .env ! main.go main_test.go go.mod go.sum vendor/modules.txt',
  'Go.AllowList': 'app notes.txt cmd/app/app ! main.go cmd/app/main.go go.mod go.sum README.md',
  Godot:
    '.godot/x .import/x game.pck export_credentials.cfg ! project.godot export_presets.cfg main.gd player.tscn',
  Gradle:
    '.gradle/x build/libs/a.jar app/build/x local.properties ! build.gradle.kts gradle/wrapper/gradle-wrapper.jar src/main/java/build/A.java',
  Grails: 'target/x build/x a.war stacktrace.log devDb.h2.db ! grails-app/conf/application.yml build.gradle',
  Haskell: 'Main.o Main.hi dist-newstyle/x .stack-work/x a.prof ! Main.hs app.cabal stack.yaml cabal.project',
  Hugo: 'public/index.html resources/_gen/x .hugo_build.lock ! content/post/a.md hugo.toml static/public/x',
  Idris: 'build/ttc/x A.ttc B.ibc ! A.idr app.ipkg',
  Images: 'a.png b/c.jpeg d.psd e.svg ! a.md images/readme.txt',
  JENKINS_HOME:
    'plugins/git.jpi secrets/master.key jobs/a/builds/1/log secret.key workspace/a/x ! config.xml jobs/a/config.xml users/users.xml',
  Java: 'A.class app.jar hs_err_pid123.log a.hprof ! A.java pom.xml',
  Jekyll: '_site/index.html .jekyll-cache/x .bundle/config ! _config.yml _posts/a.md Gemfile.lock',
  JetBrains:
    '.idea/workspace.xml .idea/shelf/a.patch .idea/dataSources/x .idea/dataSources.local.xml cmake-build-debug/x a.iws ! .idea/codeStyles/Project.xml .idea/vcs.xml .idea/runConfigurations/a.xml',
  Joomla: 'configuration.php cache/x tmp/a logs/error.php ! cache/index.html templates/own/index.php',
  Julia:
    'src/A.jl.cov src/A.jl.12.mem docs/build/x Manifest.toml deps/deps.jl ! Project.toml src/A.jl deps/build.jl',
  JupyterNotebooks:
    '.ipynb_checkpoints/a-checkpoint.ipynb sub/.ipynb_checkpoints/a profile_default/x ! a.ipynb',
  Kate: '.a.txt.kate-swp a.txt~ ! a.txt .kateproject',
  KiCad:
    'board-backups/a.zip board.kicad_prl fp-info-cache _autosave-board.kicad_pcb ~board.kicad_sch.lck ! board.kicad_pcb board.kicad_sch board.kicad_pro fp-lib-table',
  Kotlin: 'A.class .kotlin/sessions/x app.jar a.klib ! A.kt build.gradle.kts settings.gradle.kts',
  LabVIEW: 'a.lvlps a.aliases app.exe builds/x ! a.vi a.lvproj a.lvlib',
  Laravel:
    'vendor/x .env storage/logs/laravel.log public/hot storage/framework/views/a.php bootstrap/cache/packages.php ! .env.example artisan storage/logs/.gitignore public/index.php',
  Lazarus:
    'unit1.ppu unit1.o lib/x86_64-linux/a project1.exe project1.lps ! unit1.pas unit1.lfm project1.lpi project1.lpr',
  LibreOffice: '.~lock.report.odt# report.backup ! report.odt',
  Linux: 'a~ .nfs0001 .Trash-1000/x nohup.out core.4711 ! a core.c src/core.5.md',
  Lua: 'luac.out a.luac lua_modules/x a-1.0-1.src.rock ! init.lua a-1.0-1.rockspec src/lua/x.lua',
  MATLAB: 'a.asv f.mexa64 model.slxc slprj/x ! a.m model.slx data.mat',
  Magento:
    'vendor/x app/etc/env.php var/cache/x pub/static/a.css generated/code/A.php ! app/etc/config.php pub/static/.htaccess app/code/Own/A/registration.php',
  Magento2:
    'vendor/x app/etc/env.php var/cache/x pub/static/a.css generated/code/A.php ! app/etc/config.php pub/static/.htaccess app/code/Own/A/registration.php',
  Nanoc: 'output/index.html tmp/nanoc/x crash.log ! nanoc.yaml content/index.md Rules',
  OpenTofu:
    '.terraform/providers/x terraform.tfstate a.tofuplan override.tofu prod.tfvars .tofurc ! main.tofu main.tf .terraform.lock.hcl prod.tfvars.example',
  Vue: 'node_modules/x dist/a.js .env.local .env.production.local coverage/x npm.log ! src/App.vue .env .env.production vite.config.ts src/dist.ts',
  Angular:
    'node_modules/x dist/a.js .angular/cache/x coverage/x testem.log ! angular.json src/app/app.ts e2e/app.spec.ts',
  Nestjs:
    'node_modules/x dist/main.js .env coverage/x npm-debug.log ! src/main.ts nest-cli.json .env.example',
  Nextjs:
    'node_modules/x .next/x out/index.html .env.local .env.production.local .vercel/x key.pem .yarn/cache/x ! app/page.tsx next.config.ts .env.example .yarn/releases/yarn.cjs',
  Firebase:
    '.firebase/x firestore-debug.log ui-debug.1.log functions/node_modules/x .secret.local ! firebase.json .firebaserc functions/src/index.ts',
  Gleam: 'build/dev/x erl_crash.dump a.beam ! gleam.toml manifest.toml src/build.gleam',
  Haxe: 'bin/a.js .haxelib/x/1 dump/x export/html5/a ! build.hxml src/Main.hx haxelib.json',
  Leiningen: 'target/a.jar .nrepl-port .lein-repl-history pom.xml ! project.clj src/core.clj .lein-classpath',
  Elisp: 'a.elc a.eln .cask/x a-autoloads.el dist/a.tar ! a.el Cask Eask',
  Lilypond: 'a.pdf a.midi a.cropped.png a.ly~ ! a.ly b.ily cover.png',
  OpenCart:
    'config.php upload/admin/config.php system/storage/cache/x image/cache/a.jpg system/storage/logs/e.log ! config-dist.php catalog/a.php',
  Phalcon:
    'cache/a.php app/cache/x storage/logs/a.txt vendor/x .env ! cache/.gitkeep app/config/config.php .env.example',
  Plone:
    'bin/instance parts/x var/filestorage/Data.fs .installed.cfg a.egg-info/x ! buildout.cfg src/own/__init__.py',
  Salesforce:
    '.sf/config.json .sfdx/x node_modules/x coverage/x .env ! sfdx-project.json force-app/main/default/a.cls .forceignore',
  VirtualEnv: 'venv/bin/python .venv/x pyvenv.cfg Scripts/activate ! a.py src/lib/x.py requirements.txt',
  Octave: 'octave-workspace a.oct a.mex a.m~ ! a.m a.cc data.mat',
  Maven:
    'target/app.jar sub/target/x pom.xml.releaseBackup release.properties ! pom.xml .mvn/maven.config src/main/java/A.java',
  Mercurial: '.hg/store/x .hgtags ! .hgignore a.txt',
  Mercury: 'Mercury/os/x app.mh app.init libx.a ! app.m Mercury.options',
  Meson:
    'build/build.ninja builddir/x subprojects/zlib-1.3/meson.build ! meson.build subprojects/zlib.wrap subprojects/packagefiles/zlib/meson.build',
  Metals: '.metals/x .bloop/a.json project/project/metals.sbt ! build.sbt project/plugins.sbt',
  MicrosoftOffice: '~$report.docx a.wbk ~WRL0001.tmp ! report.docx plan.xlsx',
  ModelSim: 'work/_info transcript vsim.wlf a.mpf dump.vcd ! top.vhd top.v run.do',
  NetBeans: 'nbproject/private/x nbbuild/x dist/app.jar ! nbproject/project.xml src/A.java',
  Nim: 'nimcache/a.c nimbledeps/x app.exe ! app.nim app.nimble nimble.lock',
  Ninja: '.ninja_log out/.ninja_deps ! build.ninja',
  Nix: 'result result-doc .direnv/x ! default.nix flake.lock src/result/x .envrc',
  Node: 'node_modules/x/index.js packages/a/node_modules/x npm-debug.log .env .env.local .yarn/cache/a.zip dist/a.js coverage/x ! package.json package-lock.json .env.example .yarn/patches/a.patch src/logs.js',
  NotepadPP: 'a.txt.bak nppBackup/a.txt ! a.txt',
  OCaml: '_build/default/a.ml a.cmi a.cmxa app.native _opam/x ! a.ml a.mli dune-project app.opam',
  'Objective-C':
    'build/x DerivedData/x a.xcodeproj/xcuserdata/me.xcuserdatad/x a.ipa Carthage/Build/x ! a.m a.h Podfile.lock a.xcodeproj/project.pbxproj',
  OpenSSL: 'server.key certs/a.pem b.p12 ! openssl.cnf readme.md',
  Packer:
    'packer_cache/x crash.log output-qemu/disk a.box dev.auto.pkrvars.hcl ! ubuntu.pkr.hcl variables.pkr.hcl',
  Perl: 'blib/lib/A.pm Makefile MYMETA.json cover_db/x _build/x local/lib/x ! Makefile.PL lib/A.pm cpanfile t/a.t',
  PlayFramework:
    'target/x logs/application.log RUNNING_PID project/target/x .bsp/sbt.json ! conf/routes app/controllers/A.scala build.sbt',
  Prestashop:
    'app/config/parameters.php var/cache/dev/x img/p/1/1.jpg vendor/x ! index.php var/logs/.gitkeep themes/own/config/theme.yml',
  Processing: 'application.linux64/x application.macosx/x web-export/a.js ! sketch.pde data/a.txt',
  Prolog: 'a.qlf b.wam c.itf ! a.pl b.pro',
  PureScript: '.spago/x output/Main/index.js bower_components/x .psc-ide-port ! spago.yaml src/Main.purs',
  Python:
    'a/__pycache__/b.cpython-312.pyc .venv/bin/python dist/a.whl a.egg-info/PKG-INFO .env .pytest_cache/x htmlcov/index.html ! a.py pyproject.toml requirements.txt poetry.lock uv.lock',
  Qt: 'moc_window.cpp ui_window.h app.pro.user CMakeLists.txt.user Makefile.Debug app_de.qm ! window.cpp window.ui app.pro CMakeLists.txt app_de.ts',
  R: '.Rhistory .RData .Rproj.user/x a_1.0.tar.gz report_cache/x .Renviron ! a.R a.Rproj DESCRIPTION renv.lock',
  ROS: 'build/x devel/setup.bash install/x log/latest a.bag ! package.xml CMakeLists.txt src/node.cpp msg/Own.msg',
  Racket: 'compiled/a_rkt.zo sub/compiled/x a.rkt~ ! a.rkt a.scrbl info.rkt',
  Rails:
    'log/development.log tmp/cache/x config/master.key db/development.sqlite3 public/assets/a.js vendor/bundle/x ! log/.keep tmp/pids/.keep config/routes.rb config/credentials.yml.enc Gemfile.lock',
  Raku: 'lib/.precomp/x .precomp/x A-1.0.tar.gz ! META6.json lib/A.rakumod',
  ReScript: 'lib/bs/x lib/ocaml/x src/A.res.mjs node_modules/x ! src/A.res rescript.json',
  Ruby: 'a-1.0.gem .bundle/config coverage/index.html pkg/a .yardoc/x ! Gemfile Gemfile.lock a.gemspec lib/a.rb',
  Rust: 'target/debug/app sub/target/x src/a.rs.bk app.pdb ! Cargo.toml Cargo.lock src/main.rs',
  SBT: 'target/x project/target/x project/boot/x .bsp/sbt.json .history ! build.sbt project/build.properties project/plugins.sbt',
  SCons: '.sconsign.dblite .sconf_temp/x build/x ! SConstruct src/SConscript',
  SVN: '.svn/entries sub/.svn/x ! svn.txt',
  Sass: '.sass-cache/x main.css.map a.scss.map ! main.scss main.css',
  Scala: 'A.class A.tasty target/x .bloop/x .metals/x .scala-build/x ! A.scala build.sbt build.mill',
  Scheme: 'a.so a.scm~ a.import.scm a.bci ! a.scm a.sld b.ss',
  Smalltalk: 'Pharo.image Pharo.changes PharoDebug.log package-cache/x ! src/A.class.st .project',
  Solidity:
    'cache/x out/A.sol/A.json artifacts/x typechain-types/x .env broadcast/A.s.sol/31337/run.json ! foundry.toml src/A.sol hardhat.config.ts broadcast/A.s.sol/1/run-latest.json',
  SublimeText:
    'a.sublime-workspace x.tmlanguage.cache sftp-config.json ! a.sublime-project Own.sublime-syntax',
  Swift:
    '.build/x DerivedData/x a.xcodeproj/xcuserdata/x a.ipa .swiftpm/xcode/package.xcworkspace/x ! Package.swift Package.resolved Sources/A/main.swift Packages/Own/Package.swift',
  Symfony:
    'vendor/x var/cache/x .env.local .env.prod.local public/bundles/x config/secrets/prod/prod.decrypt.private.php ! .env .env.test composer.lock config/services.yaml symfony.lock',
  Tags: 'tags TAGS sub/tags cscope.out GPATH ! tags/readme.md TAGS/x tags.txt',
  TeX: 'main.aux main.log main.toc main.synctex.gz main.bbl _minted-main/x ! main.tex refs.bib figure.pdf own.sty own.cls',
  Terraform:
    '.terraform/providers/x terraform.tfstate terraform.tfstate.backup prod.tfvars crash.log a.tfplan ! main.tf .terraform.lock.hcl variables.tf prod.tfvars.example',
  TextMate: 'a.tmproj tmtags ! a.txt own.tmLanguage',
  Typo3:
    'vendor/x var/cache/x public/typo3/x config/system/settings.php fileadmin/_processed_/x ! config/system/additional.php composer.json packages/own/ext_emconf.php',
  Unity:
    'Library/x Temp/x Logs/a.log Game.csproj Game.sln Build/game.exe UserSettings/x ! Assets/Player.cs Assets/Player.cs.meta ProjectSettings/ProjectSettings.asset Packages/manifest.json Assets/Library/x.cs',
  UnrealEngine:
    'Binaries/Win64/x.dll Intermediate/x Saved/x DerivedDataCache/x Build/Windows/x.txt Game.sln Plugins/Own/Intermediate/x ! Game.uproject Source/Game/Game.cpp Build/Windows/Application.ico Content/Map.umap',
  V: 'v app.exe .vmodules/x a.tmp.c ! main.v v.mod src/v/x.v',
  VVVV: 'bin/x obj/x main.v4p~ main.vl~ ! main.v4p main.vl',
  Vagrant: '.vagrant/machines/x ubuntu.box ! Vagrantfile',
  Vim: '.a.txt.swp .a.swo Session.vim .netrwhist a.txt~ .a.un~ ! .vimrc a.svg plugin.vim',
  VisualStudio:
    '.vs/x bin/Debug/a.exe obj/x App.csproj.user x64/Release/a.obj App.suo TestResults/r.trx packages/A.1.0/x ! App.sln App.csproj App.vcxproj Program.cs packages/build/a.targets',
  VisualStudioCode:
    '.vscode/own.json .vscode/ipch/x .history/a own-1.0.vsix ! .vscode/settings.json .vscode/launch.json .vscode/own.code-snippets',
  Waf: 'build/x .lock-waf_linux_build .waf3-2.0.26-abc/x ! wscript waf',
  Windows: 'Thumbs.db sub/Desktop.ini desktop.ini $RECYCLE.BIN/x a.lnk setup.msi ! a.txt setup.exe',
  WordPress:
    'wp-config.php wp-content/uploads/2031/a.png wp-admin/index.php wp-login.php error.log ! wp-content/themes/own/style.css wp-content/plugins/own/own.php wp-content/index.php',
  Xcode:
    'a.xcodeproj/xcuserdata/x DerivedData/x build/x a.mode1v3 ! a.xcodeproj/project.pbxproj default.mode1v3 a.xcodeproj/xcshareddata/xcschemes/a.xcscheme',
  Xilinx: 'vivado.jou vivado.log app.runs/impl_1/x app.cache/x top.bit .Xil/x ! top.xdc app.xpr top.vhd',
  Yarn: '.yarn/cache/a.zip .yarn/install-state.gz .pnp.cjs node_modules/x ! .yarn/patches/a.patch .yarn/releases/yarn-4.0.0.cjs yarn.lock .yarnrc.yml',
  Yii: 'vendor/x runtime/logs/app.log web/assets/1a2b/x config/db-local.php ! yii config/web.php web/assets/.gitignore runtime/.gitignore',
  ZendFramework:
    'vendor/x config/autoload/local.php config/autoload/db.local.php data/cache/x ! config/autoload/global.php data/cache/.gitkeep public/index.php',
  Zephyr:
    'build/zephyr/x build_nrf/x twister-out/x .west/config ! prj.conf west.yml src/main.c CMakeLists.txt',
  Zig: '.zig-cache/x zig-out/bin/app zig-cache/x ! build.zig build.zig.zon src/main.zig',
  core: 'core sub/core core.4711 app.core ! core/readme.md core.c sub/core/x',
  'esp-idf':
    'build/app.bin sdkconfig sdkconfig.old managed_components/x ! sdkconfig.defaults main/CMakeLists.txt dependencies.lock',
  macOS: '.DS_Store sub/.DS_Store ._a.txt .Trashes a.icloud ! a.txt Icon Icons/a.png DS_Store.md',
  uVision: 'Objects/a.o Listings/a.map app.axf app.hex app.uvguix.me ! app.uvprojx app.uvoptx main.c',
}
